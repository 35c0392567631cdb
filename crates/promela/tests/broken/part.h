byte fine;
byte fine;
