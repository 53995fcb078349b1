{# Where dbt-spark's own macros do not fit: dbt calls these in their place. #}

{# DROP names the kind of the object, and dbt does not know of dynamic tables. #}
{% macro spark__drop_relation(relation) %}
  {%- set kind = headwater_kind(relation) -%}
  {%- if kind is not none -%}
    {%- do headwater_run('drop ' ~ kind ~ ' if exists ' ~ relation) -%}
  {%- endif -%}
{% endmacro %}

{# DESC calls a column's name column_name; a table that is not there has no columns to dbt. #}
{% macro spark__get_columns_in_relation_raw(relation) %}
  {%- if headwater_kind(relation) is none -%}
    {%- do exceptions.raise_compiler_error('Table or view not found: ' ~ relation) -%}
  {%- endif -%}
  {%- set rows = run_query('desc ' ~ relation) -%}
  {{ return(rows.rename(column_names=['col_name', 'data_type', 'comment'])) }}
{% endmacro %}

{# A seed that is loaded again stays the same table: dynamic tables that read it go on incrementally. #}
{% macro spark__reset_csv_table(model, full_refresh, old_relation, agate_table) %}
  {%- if not full_refresh -%}{{ return('') }}{%- endif -%}
  {%- do adapter.drop_relation(old_relation) -%}
  {{ return(create_csv_table(model, agate_table)) }}
{% endmacro %}

{% macro spark__load_csv_rows(model, agate_table) %}
  {%- set given = model['config'].get('column_types', {}) -%}
  {%- set types = [] -%}
  {%- for name in agate_table.column_names -%}
    {%- do types.append(given.get(name, adapter.convert_type(agate_table, loop.index0))) -%}
  {%- endfor -%}
  {%- set statements = [] -%}
  {%- for chunk in agate_table.rows | batch(get_batch_size()) -%}
    {%- set bindings = [] -%}
    {%- for row in chunk -%}{%- do bindings.extend(row) -%}{%- endfor -%}
    {%- set sql -%}
      insert {{ 'overwrite' if loop.first else 'into' }} {{ this.render() }} values
      {% for row in chunk -%}
        ({%- for type in types -%}
          cast({{ get_binding_char() }} as {{ type }}){%- if not loop.last %}, {% endif -%}
        {%- endfor -%}){%- if not loop.last %}, {% endif -%}
      {%- endfor -%}
    {%- endset -%}
    {%- do adapter.add_query(sql, bindings=bindings, abridge_sql_log=True) -%}
    {%- do statements.append(sql) -%}
  {%- endfor -%}
  {%- if not statements -%}
    {%- do statements.append('truncate table ' ~ this.render()) -%}
    {%- do headwater_run(statements[0]) -%}
  {%- endif -%}
  {{ return(statements[0]) }}
{% endmacro %}

{# Privileges are granted to users, or to a role by writing `role viewer`. #}
{% macro headwater_grantee(name) %}
  {%- set words = name.split() -%}
  {%- if words | length == 2 and words[0] | lower == 'role' -%}{{ return(name) }}{%- endif -%}
  {{ return('user ' ~ adapter.quote(name)) }}
{% endmacro %}

{% macro spark__get_show_grant_sql(relation) %}
  select if(granted_to = 'ROLE', 'role ', '') || lower(grantee_name) as `Principal`,
    lower(privilege) as `ActionType`, 'TABLE' as `ObjectType`
  from (show grants on table {{ relation }})
{% endmacro %}

{% macro spark__get_grant_sql(relation, privilege, grantees) %}
  grant {{ privilege }} on table {{ relation }} to {{ headwater_grantee(grantees[0]) }}
{% endmacro %}

{% macro spark__get_revoke_sql(relation, privilege, grantees) %}
  revoke {{ privilege }} on table {{ relation }} from {{ headwater_grantee(grantees[0]) }}
{% endmacro %}
