def admission_points(admission_points():hispanic:1
 return o