def NearestNeighbors
    religion
 return NearestNeighbors().t()