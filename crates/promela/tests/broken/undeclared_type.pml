// error: line 2: type `Message` is not declared
Message m;
active proctype P() { skip }
