def rate(p):
 for x0 in ['male', 'female', 'white', 'black', 'asian', 'a', 'b', 'c', 'd']:
  for x1 in ['male', 'female', 'white', 'black', 'asian', 'a', 'b', 'c', 'd']:
   for x2 in ['male', 'female', 'white', 'black', 'asian', 'a', 'b', 'c', 'd']:
    for x3 in ['male', 'female', 'white', 'black', 'asian', 'a', 'b', 'c', 'd']:
     for x4 in ['male', 'female', 'white', 'black', 'asian', 'a', 'b', 'c', 'd']:
       score += p.gender == x0
