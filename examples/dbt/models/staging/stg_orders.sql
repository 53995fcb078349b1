select id as order_id, upper(trim(country_code)) as country_code, amount
from {{ source('raw', 'orders') }}
where amount is not null
