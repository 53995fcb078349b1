{#
  The materialization `dynamic_table`. A run compares what the model says with what is in the lake:

    nothing there            CREATE DYNAMIC TABLE
    another kind of object   it is dropped, then CREATE
    the query or the layout  CREATE OR REPLACE, which keeps rows, history and streams where it can
    mode, schedule, comment  ALTER DYNAMIC TABLE
    all the same             nothing

  Then it refreshes, waits, and fails if the refresh fails; `refresh: false` leaves that to the
  schedule. `--full-refresh` works the rows out anew, and takes every new query.
#}
{% materialization dynamic_table, adapter='spark' %}
  {%- set target_relation = this.incorporate(type='table') -%}
  {{ run_hooks(pre_hooks) }}

  {%- set kind = headwater_kind(target_relation) -%}
  {%- if kind is not none and kind != 'dynamic table' -%}
    {%- do adapter.drop_relation(target_relation) -%}
    {%- set kind = none -%}
  {%- endif -%}
  {%- set anew = should_full_refresh() -%}
  {%- set did = headwater_apply(target_relation, headwater_wanted(sql), kind, anew) -%}

  {%- if config.get('refresh', true) -%}
    {%- do headwater_refresh(target_relation, anew) -%}
    {%- set did = did ~ ', ' ~ headwater_last_refresh(target_relation) -%}
  {%- endif -%}
  {%- do store_raw_result(name='main', message=did, code=did, rows_affected='-1') -%}

  {%- set grants = config.get('grants') -%}
  {%- do apply_grants(target_relation, grants, should_revoke(kind, full_refresh_mode=False)) -%}
  {%- do adapter.cache_added(target_relation) -%}
  {{ run_hooks(post_hooks) }}
  {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}


{# Bring the definition about; gives back what was done, in a word for the run's output. #}
{% macro headwater_apply(relation, wanted, kind, anew) %}
  {%- if kind is none -%}
    {%- do headwater_run(headwater_create('create', relation, wanted)) -%}
    {%- do headwater_comment_columns(relation, {}) -%}
    {{ return('CREATED') }}
  {%- endif -%}

  {%- set there = headwater_described(relation) -%}
  {%- set alters = headwater_alters(relation, wanted, there) -%}
  {%- set differs = [] -%}
  {%- for key in ('query', 'partitioned_by', 'clustered_by', 'immutable_where') -%}
    {%- if wanted[key] != there[key] -%}{%- do differs.append(key) -%}{%- endif -%}
  {%- endfor -%}
  {%- if not differs and not alters -%}
    {%- do headwater_comment_columns(relation, there.columns) -%}
    {{ return('UNCHANGED') }}
  {%- endif -%}

  {%- set answer = config.get('on_configuration_change', 'apply') -%}
  {%- set what = relation.render() ~ ' differs from its model' -%}
  {%- if answer == 'fail' -%}
    {%- do exceptions.raise_compiler_error(what ~ ', and on_configuration_change is fail') -%}
  {%- elif answer == 'continue' -%}
    {%- do exceptions.warn(what ~ ', and on_configuration_change is continue') -%}
    {{ return('LEFT AS IT WAS') }}
  {%- endif -%}

  {%- if differs -%}
    {%- if anew -%}
      {# Also a query under which no row can stay. #}
      {%- do headwater_run('set cz.sql.mv.check.before.replacing.sql = false') -%}
    {%- endif -%}
    {%- do headwater_run(headwater_create('create or replace', relation, wanted)) -%}
  {%- else -%}
    {%- for alter in alters -%}{%- do headwater_run(alter) -%}{%- endfor -%}
  {%- endif -%}
  {%- do headwater_comment_columns(relation, there.columns) -%}
  {{ return('REPLACED' if differs else 'ALTERED') }}
{% endmacro %}


{% macro headwater_refresh(relation, anew) %}
  {%- if anew -%}
    {# The connection is this model's own, so the setting ends with it. #}
    {%- do headwater_run('set cz.optimizer.incremental.force.full.refresh = true') -%}
  {%- endif -%}
  {%- do headwater_run('refresh dynamic table ' ~ relation) -%}
{% endmacro %}


{# What the refresh did, as `INCREMENTAL +2 -1`. #}
{% macro headwater_last_refresh(relation) %}
  {%- set rows = run_query('show dynamic table refresh history ' ~ relation ~ ' limit 1').rows -%}
  {%- set stats = fromjson(rows[0]['stats'], {}) -%}
  {{ return(
    rows[0]['refresh_mode'] ~ ' +' ~ stats.get('rows_inserted', 0) ~ ' -' ~ stats.get('rows_deleted', 0)
  ) }}
{% endmacro %}
