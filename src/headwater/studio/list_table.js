// The rows of a listing, sorted, filtered and chosen in the browser.
//
// Law: rows are drawn in chunks, and only those near what is seen. A chunk finds out by itself
// whether it is near, and nothing else is touched when it is drawn: so a list scrolls as well with
// thousands of rows as with a hundred.
const CHUNK = 5;
const FEW = 60;
const NEAR = "100% 0px";
const FILTERED_FROM = 10;
const FIRST_GUESS = 29;

const Cell = `
  <td v-for="column in columns" :key="column.name" :class="[column.align, column.classes]"
      :data-label="column.label">
    <template v-if="column.kind === 'link'">
      <a v-if="row[column.name + '__link']" class="hw-link" :href="row[column.name + '__link']"
        >{{ row[column.name] }}</a><span v-else>{{ row[column.name] }}</span>
    </template>
    <template v-else-if="column.kind === 'chip'">
      <span v-if="row[column.name] && !row[column.name + '__hint']" class="hw-chip"
        :class="row[column.name + '__tone']">{{ row[column.name] }}</span>
      <span v-else-if="row[column.name]" class="hw-chip" :class="row[column.name + '__tone']"
        tabindex="0" role="note" :data-hint="row[column.name + '__hint']"
        :aria-label="row[column.name] + ': ' + row[column.name + '__hint']"
        @pointerenter="pointed = row[rowKey] + column.name" @pointerleave="pointed = null"
        >{{ row[column.name] }}<q-tooltip v-if="pointed === row[rowKey] + column.name"
          no-parent-event :model-value="true">{{ row[column.name + '__hint'] }}</q-tooltip></span>
    </template>
    <span v-else-if="column.kind === 'strip'" class="hw-strip" role="img"
      :aria-label="row[column.name]"><i v-for="(one, place) in row[column.name + '__strip']"
        :key="place" :class="one.tone" :title="one.state"></i></span>
    <span v-else-if="column.kind === 'bar'"><span v-if="row[column.name + '__bar'] !== null"
      class="hw-bar" :class="full(row[column.name + '__bar'])"
      aria-hidden="true"><i :style="{ width: Math.min(100, row[column.name + '__bar'] * 100) + '%' }"
      ></i></span> {{ row[column.name + '__text'] }}</span>
    <template v-else>{{ row[column.name] }}</template>
  </td>`;

// A schedule that is kept lets rows be as old as its interval and the time of a refresh.
const full = (share) => (share <= 1 ? "hw-good" : share <= 2 ? "hw-warn" : "hw-bad");

const Chunk = {
  props: {
    rows: Array, columns: Array, rowKey: String, first: Number, few: Boolean, guess: Number,
    choosable: Boolean, chosen: Set, buttons: Boolean,
  },
  emits: ["choose", "press"],
  template: `
    <tbody :class="near ? 'hw-rows' : 'hw-away'">
      <template v-if="near">
        <tr v-for="(row, place) in rows" :key="row[rowKey]" :aria-rowindex="first + place + 2">
          <td v-if="choosable"><q-checkbox dense :model-value="chosen.has(row[rowKey])"
            :aria-label="'Choose ' + row[columns[0].name]"
            @update:model-value="$emit('choose', row[rowKey])" /></td>
          ${Cell}
          <td v-if="buttons" class="hw-row-buttons text-right"><q-btn flat dense no-caps
            v-for="name in row.__buttons" :key="name" :label="name" size="sm" color="primary"
            class="q-px-sm" @click="$emit('press', [name, row.__drawn])" /></td>
        </tr>
      </template>
      <tr v-else aria-hidden="true"><td :colspan="columns.length + choosable + buttons"
        :style="{ height: (pixels || guess * rows.length) + 'px' }"></td></tr>
    </tbody>`,
  data() {
    return { near: this.few || this.first < FEW, pixels: 0, pointed: null };
  },
  methods: { full },
  mounted() {
    const root = this.$el.closest(".hw-scrolled");
    const looked = ([seen]) => {
      const near = this.few || seen.isIntersecting;
      // What is hidden as a whole has no size, and is drawn as it was when it is shown again.
      if (near === this.near || !seen.rootBounds?.height) return;
      if (this.near) this.pixels = seen.boundingClientRect.height;
      this.near = near;
    };
    this.observer = new IntersectionObserver(looked, { root, rootMargin: NEAR });
    this.observer.observe(this.$el);
  },
  unmounted() {
    this.observer.disconnect();
  },
  watch: {
    few(few) {
      this.near ||= few;
    },
    rows() {
      this.pixels = 0;
    },
  },
};

const order = (a, b) => {
  if (a === b) return 0;
  if (a === null || a === "") return -1;
  if (b === null || b === "") return 1;
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).toLowerCase().localeCompare(String(b).toLowerCase(), undefined, {
    numeric: true,
  });
};

export default {
  components: { Chunk },
  props: {
    rows: Array, columns: Array, rowKey: String, label: String, choosable: Boolean,
    buttons: Boolean,
  },
  emits: ["chosen", "button"],
  template: `
    <div class="hw-listing">
      <q-input v-if="rows.length > ${FILTERED_FROM}" v-model="filter" dense outlined clearable
        placeholder="Filter" aria-label="Filter" />
      <div class="hw-table hw-list q-table__container q-table__card q-table--horizontal-separator
          q-table--flat q-table--bordered q-table--dense"
        :class="{ 'q-table--dark q-table__card--dark q-dark': $q.dark.isActive }">
        <div class="hw-scrolled q-table__middle scroll" ref="scrolled">
          <table class="q-table" :aria-label="label" :aria-rowcount="shown.length + 1">
            <thead><tr aria-rowindex="1">
              <th v-if="choosable" class="text-left"><q-checkbox dense aria-label="Choose all"
                :model-value="all" @update:model-value="chooseAll" /></th>
              <th v-for="column in columns" :key="column.name" :class="column.align"
                :aria-sort="by !== column.name ? null : down ? 'descending' : 'ascending'">
                <button type="button" class="hw-sort" @click="sortBy(column.name)"
                  >{{ column.label }}<q-icon :name="down ? 'arrow_downward' : 'arrow_upward'"
                    aria-hidden="true" :class="{ 'hw-sorted': by === column.name }" /></button>
              </th>
              <th v-if="buttons" style="width: 1%"></th>
            </tr></thead>
            <chunk v-for="chunk in chunks" :key="chunk.first" :rows="chunk.rows"
              :first="chunk.first" :few="shown.length <= ${FEW}" :guess="guess"
              :columns="columns" :row-key="rowKey" :choosable="choosable" :chosen="chosen"
              :buttons="buttons" @choose="choose" @press="$emit('button', $event)" />
          </table>
          <div v-if="!shown.length" class="hw-muted q-pa-sm" role="status">No row has that</div>
        </div>
      </div>
    </div>`,
  data() {
    return { filter: "", by: null, down: false, chosen: new Set(), guess: FIRST_GUESS };
  },
  computed: {
    sorted() {
      if (this.by === null) return this.rows;
      const way = this.down ? -1 : 1;
      return [...this.rows].sort((a, b) => way * order(a[this.by], b[this.by]));
    },
    shown() {
      const wanted = (this.filter || "").toLowerCase();
      if (!wanted) return this.sorted;
      const has = (row) => (column) =>
        String(row[column.name] ?? "").toLowerCase().includes(wanted);
      return this.sorted.filter((row) => this.columns.some(has(row)));
    },
    chunks() {
      const made = [];
      for (let first = 0; first < this.shown.length; first += CHUNK) {
        made.push({ first, rows: this.shown.slice(first, first + CHUNK) });
      }
      return made;
    },
    all() {
      if (!this.chosen.size) return false;
      return this.shown.every((row) => this.chosen.has(row[this.rowKey])) ? true : null;
    },
  },
  mounted() {
    const drawn = this.$refs.scrolled.querySelector(".hw-rows");
    if (drawn?.offsetHeight) this.guess = drawn.offsetHeight / drawn.rows.length;
  },
  methods: {
    sortBy(name) {
      if (this.by !== name) [this.by, this.down] = [name, false];
      else if (!this.down) this.down = true;
      else [this.by, this.down] = [null, false];
      this.$refs.scrolled.scrollTop = 0;
    },
    choose(key) {
      if (!this.chosen.delete(key)) this.chosen.add(key);
      this.tell();
    },
    chooseAll() {
      const all = this.all === true;
      for (const row of this.shown) {
        if (all) this.chosen.delete(row[this.rowKey]);
        else this.chosen.add(row[this.rowKey]);
      }
      this.tell();
    },
    tell() {
      this.$emit("chosen", [...this.chosen]);
    },
  },
  watch: {
    rows(rows) {
      if (!this.chosen.size) return;
      const there = new Set(rows.map((row) => row[this.rowKey]));
      const gone = [...this.chosen].filter((key) => !there.has(key));
      gone.forEach((key) => this.chosen.delete(key));
      if (gone.length) this.tell();
    },
  },
};
