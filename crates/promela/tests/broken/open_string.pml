// error: line 4: this string is not closed on its line
active proctype P()
{
   printf("hello
   )
}
