{{ config(materialized='table') }}

select country, total, round(100 * total / sum(total) over (), 1) as percent
from {{ ref('sales_by_country') }}
