{{ config(target_lag='downstream', refresh_mode='incremental') }}

-- One row per country /* that has orders */
select c.country, c.continent, count(*) as orders, sum(o.amount) as total
from {{ ref('stg_orders') }} o
join {{ ref('countries') }} c on c.code = o.country_code
group by c.country, c.continent
