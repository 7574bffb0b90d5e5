match p['age']:
 case 1e309:return