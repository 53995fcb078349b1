{# Small words that the other macros are made of. #}

{% macro headwater_run(statement_text) %}
  {%- call statement('headwater') -%}{{ statement_text }}{%- endcall -%}
{% endmacro %}

{% macro headwater_literal(text) %}
  {{ return("'" ~ (text | replace('\\', '\\\\') | replace("'", "\\'")) ~ "'") }}
{% endmacro %}

{# What DROP calls the object of a name: `table`, `view`, `dynamic table`, .. ; none if there is none. #}
{% macro headwater_kind(relation) %}
  {%- set listing = 'show tables in ' ~ adapter.quote(relation.schema)
      ~ ' where table_name = ' ~ headwater_literal(relation.identifier | lower) -%}
  {%- set rows = run_query(listing).rows -%}
  {%- if not rows -%}{{ return(none) }}{%- endif -%}
  {%- for column, kind in (
    ('is_view', 'view'), ('is_dynamic', 'dynamic table'), ('is_materialized_view', 'materialized view')
  ) -%}
    {%- if rows[0][column] -%}{{ return(kind) }}{%- endif -%}
  {%- endfor -%}
  {{ return('table') }}
{% endmacro %}

{# A query as the lake keeps it: without comments before it, and nothing behind it. #}
{% macro headwater_query(sql) %}
  {%- set leading = '(?s)\\A(\\s|--[^\\n]*(\\n|\\Z)|/\\*.*?\\*/)+' -%}
  {{ return(modules.re.sub(leading, '', sql).rstrip('; \n\t\r')) }}
{% endmacro %}

{# Names of columns as a list in lower case; given as a list, as one name, or not at all. #}
{% macro headwater_names(given) %}
  {%- set names = [given] if given is string else (given or []) -%}
  {{ return(names | map('lower') | reject('equalto', '') | list) }}
{% endmacro %}

{% macro headwater_quoted(names) %}
  {%- set quoted = [] -%}
  {%- for name in names -%}{%- do quoted.append(adapter.quote(name)) -%}{%- endfor -%}
  {{ return(quoted | join(', ')) }}
{% endmacro %}

{# `1 hour 30 minutes` in seconds. #}
{% macro headwater_seconds(text) %}
  {%- set units = {'second': 1, 'minute': 60, 'hour': 3600, 'day': 86400, 'week': 604800} -%}
  {%- set words = text.lower().split() -%}
  {%- set sum = namespace(seconds=0) -%}
  {%- for word in words[1::2] -%}
    {%- set unit = units.get(word[:-1] if word.endswith('s') else word) -%}
    {%- if unit is none or not words[2 * loop.index0].isdigit() -%}
      {%- do exceptions.raise_compiler_error("'" ~ text ~ "' is no interval such as '5 minutes'") -%}
    {%- endif -%}
    {%- set sum.seconds = sum.seconds + unit * (words[2 * loop.index0] | int) -%}
  {%- endfor -%}
  {%- if not words or words | length % 2 -%}
    {%- do exceptions.raise_compiler_error("'" ~ text ~ "' is no interval such as '5 minutes'") -%}
  {%- endif -%}
  {{ return(sum.seconds) }}
{% endmacro %}

{# A target lag as DESC EXTENDED shows it. #}
{% macro headwater_lag(text) %}
  {{ return('DOWNSTREAM' if text | upper == 'DOWNSTREAM' else headwater_seconds(text) ~ ' seconds') }}
{% endmacro %}

{% macro headwater_lag_clause(lag) %}
  {{ return(lag if lag == 'DOWNSTREAM' else "'" ~ lag ~ "'") }}
{% endmacro %}
