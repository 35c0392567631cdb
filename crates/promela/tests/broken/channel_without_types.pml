// error: line 2: expected `of` and the types of the messages after the capacity, found `;`
chan c = [1];
active proctype P() { skip }
