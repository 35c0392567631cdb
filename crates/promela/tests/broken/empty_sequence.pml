// error: line 4: a sequence must have at least one statement
active proctype P()
{
   atomic { }
}
