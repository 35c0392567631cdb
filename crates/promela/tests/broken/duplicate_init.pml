// error: line 3: a model has only one `init`
init { skip }
init { skip }
