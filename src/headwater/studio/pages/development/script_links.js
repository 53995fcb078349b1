// The scripts of a folder. As elements of NiceGUI's they would be four for each script, which takes
// the service, and with it all pages, longer than to find them.
export default {
  props: { scripts: Array },
  template: `
    <a v-for="script in scripts" :key="script.href" class="hw-nav text-sm" :href="script.href"
      :aria-current="script.here ? 'page' : null"><q-icon :name="script.icon" aria-hidden="true"
      /><div class="min-w-0" style="overflow-wrap: anywhere">{{ script.name }}</div><q-icon
      v-if="script.state" name="circle" size="10px" :class="script.tone" :title="script.state"
      /><div v-if="script.draft" class="hw-muted text-xs">draft</div></a>`,
};
