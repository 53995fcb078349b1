{{ config(refresh_interval='10 minutes') }}

select continent, sum(orders) as orders, sum(total) as total
from {{ ref('sales_by_country') }}
group by continent
