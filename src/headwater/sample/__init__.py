"""A live data set to try things on: events of a shop, made up as time goes by."""
