{# A dynamic table as its model says it is, and as it is in the lake, in the same words. #}

{% macro headwater_wanted(sql) %}
  {%- set lag = config.get('target_lag') -%}
  {%- set interval = config.get('refresh_interval') -%}
  {%- set cluster = config.get('vcluster') -%}
  {%- set comment = model.description | trim if config.persist_relation_docs() else none -%}
  {{ return({
    'query': headwater_query(sql),
    'refresh_mode': config.get('refresh_mode', 'auto') | upper,
    'interval': headwater_seconds(interval) if interval else none,
    'target_lag': headwater_lag(lag) if lag else none,
    'vcluster': cluster | lower if cluster else none,
    'comment': comment,
    'partitioned_by': headwater_names(config.get('partition_by')),
    'clustered_by': headwater_names(config.get('clustered_by')),
    'immutable_where': config.get('immutable_where', none)
  }) }}
{% endmacro %}


{% macro headwater_described(relation) %}
  {%- set found = {} -%}
  {%- set columns = {} -%}
  {%- set part = namespace(details=false) -%}
  {%- for row in run_query('desc extended ' ~ relation).rows -%}
    {%- if part.details -%}
      {%- do found.update({row[0]: row[1]}) -%}
    {%- elif row[0] and not row[0].startswith('#') -%}
      {%- do columns.update({row[0] | lower: row[2] or ''}) -%}
    {%- else -%}
      {%- set part.details = row[0] != '' or part.details -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set interval = found.get('refresh_interval_second') -%}
  {%- set cluster = found.get('refresh_vcluster') -%}
  {{ return({
    'query': found['view_text'] | trim,
    'refresh_mode': found['refresh_mode'],
    'interval': interval | int if interval else none,
    'target_lag': found.get('refresh_target_lag') or none,
    'vcluster': (cluster.split('.') | last | lower) if cluster else none,
    'comment': (found.get('comment') or '') | trim,
    'partitioned_by': headwater_names((found.get('partitioned_by') or '').split(', ')),
    'clustered_by': headwater_names((found.get('clustered_by') or '').split(', ')),
    'immutable_where': found.get('immutable_where') or none,
    'columns': columns
  }) }}
{% endmacro %}


{# The statement that makes it; `verb` is `create` or `create or replace`. #}
{% macro headwater_create(verb, relation, wanted) %}
  {{ verb }} dynamic table {{ relation }}
  {%- if wanted.partitioned_by %} partitioned by ({{ headwater_quoted(wanted.partitioned_by) }}){% endif %}
  {%- if wanted.clustered_by %} clustered by ({{ headwater_quoted(wanted.clustered_by) }}){% endif %}
  {%- if wanted.comment %} comment {{ headwater_literal(wanted.comment) }}{% endif %}
  {%- if wanted.interval or wanted.vcluster %} refresh
    {%- if wanted.interval %} interval '{{ wanted.interval }} seconds'{% endif %}
    {%- if wanted.vcluster %} vcluster {{ adapter.quote(wanted.vcluster) }}{% endif %}
  {%- endif %}
  {%- if wanted.target_lag %} target_lag = {{ headwater_lag_clause(wanted.target_lag) }}{% endif %}
  refresh_mode = {{ wanted.refresh_mode }}
  {%- if wanted.immutable_where %} immutable where ({{ wanted.immutable_where }}){% endif %}
  as
  {{ wanted.query }}
{% endmacro %}


{# The statements that bring about what differs and can be altered. #}
{% macro headwater_alters(relation, wanted, there) %}
  {%- set alter = 'alter dynamic table ' ~ relation ~ ' ' -%}
  {%- set statements = [] -%}
  {%- if wanted.refresh_mode != there.refresh_mode -%}
    {%- do statements.append(alter ~ 'set refresh_mode = ' ~ wanted.refresh_mode) -%}
  {%- endif -%}
  {%- if wanted.target_lag != there.target_lag and wanted.target_lag -%}
    {%- do statements.append(alter ~ 'set target_lag = ' ~ headwater_lag_clause(wanted.target_lag)) -%}
  {%- elif wanted.target_lag != there.target_lag and not wanted.interval -%}
    {%- do statements.append(alter ~ 'unset target_lag') -%}
  {%- elif wanted.interval != there.interval and not wanted.interval and not wanted.target_lag -%}
    {%- do statements.append(alter ~ 'unset refresh') -%}
  {%- endif -%}
  {%- if wanted.interval and wanted.interval != there.interval -%}
    {%- do statements.append(alter ~ "set refresh interval '" ~ wanted.interval ~ " seconds'") -%}
  {%- endif -%}
  {%- if wanted.vcluster and wanted.vcluster != there.vcluster -%}
    {%- do statements.append(alter ~ 'set refresh vcluster ' ~ adapter.quote(wanted.vcluster)) -%}
  {%- endif -%}
  {%- if wanted.comment is not none and wanted.comment != there.comment -%}
    {%- do statements.append(alter ~ 'set comment ' ~ headwater_literal(wanted.comment)) -%}
  {%- endif -%}
  {{ return(statements) }}
{% endmacro %}


{# With persist_docs.columns: comments of columns, where they are not what they should be. #}
{% macro headwater_comment_columns(relation, there) %}
  {%- if config.persist_column_docs() -%}
    {%- for name, column in model.columns.items() -%}
      {%- if column.description and there.get(name | lower, '') != column.description -%}
        {%- do headwater_run(
          'alter dynamic table ' ~ relation ~ ' change column ' ~ adapter.quote(name)
          ~ ' comment ' ~ headwater_literal(column.description)
        ) -%}
      {%- endif -%}
    {%- endfor -%}
  {%- endif -%}
{% endmacro %}
