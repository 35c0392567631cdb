// A vending machine: coins of 1 and 2 units (character constants name the products), change from a
// limited box, a button to cancel. Checked: money is conserved and nobody pays too much or too little
// (assertions), the machine can only be left idle.
//
// expect verdict=holds
// expect por=off states=1536 matched=978 transitions=2514 errors=0
// expect por=on states=1090 matched=311 transitions=1401 errors=0

#define PRICE_TEA    2
#define PRICE_COFFEE 3
#define price(p) (p == 't' -> PRICE_TEA : PRICE_COFFEE)

mtype = { coin, choose, cancel, product, money };

chan panel = [0] of { mtype, byte };
chan tray = [2] of { mtype, byte };
short cash = 2, purse = 6;            /* in the machine, with the customer */
byte cups, spent;

active proctype machine()
{
   byte inserted, v;

end_idle:
   do
   :: panel?coin(v) ->
      inserted = inserted + v;
      cash = cash + v;
      v = 0
   :: panel?choose(v) ->
      if
      :: inserted >= price(v) ->
         tray!product(v);
         inserted = inserted - price(v)
      :: inserted < price(v)
      fi;
      v = 0;
      goto change
   :: panel?cancel(_) ->
change:
      cash = cash - inserted;
      assert(cash >= 0);
      tray!money(inserted);
      inserted = 0
   od
}

active proctype customer()
{
   byte m;

end_home:
   do
   :: purse >= 1 ->
      if
      :: purse >= 2 -> purse = purse - 2; panel!coin(2)
      :: purse--; panel!coin(1)
      fi
   :: if
      :: panel!choose('t')
      :: panel!choose('c')
      :: panel!cancel(0)
      fi;
      do
      :: tray?product(m) ->
         assert(m == 't' || m == 'c');
         printm(product);
         cups++;
         spent = spent + price(m)
      :: tray?money(m) ->
         purse = purse + m;
         assert(purse + cash == 8 && spent + purse == 6);
         m = 0;
         break
      od
   od
}
