// error: line 5: `b` is not a channel
byte b;
active proctype P()
{
   b!1
}
