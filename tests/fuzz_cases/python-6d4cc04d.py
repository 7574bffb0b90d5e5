
        # FL401: race
        CODES = {"race": {"White": 0, "Black": 1, "Asian": 2}, "workclass": {"Private": 0, "Gov": 1}}
        for column, table in CODES.items():
         for column, table in CODES.items():
          for column, table in CODES.items():
           for column, table in CODES.items():
            for column, table in CODES.items():
             for column, table in CODES.items():
              for column, table in CODES.items():
               for column, table in CODES.items():
                for column, table in CODES.items():
                 for column, table in CODES.items():
                  for column, table in CODES.items():
                   for column, table in CODES.items():
                    for column, table in CODES.items():
                     for column, table in CODES.items():
                      for column, table in CODES.items():
                       for column, table in CODES.items():
                        for column, table in CODES.items():
                         for column, table in CODES.items():
                          for column, table in CODES.items():
                           for column, table in CODES.items():
                            for column, table in CODES.items():
                             for column, table in CODES.items():
                              for column, table in CODES.items():
                               for column, table in CODES.items():
                                for column, table in CODES.items():
                                 for column, table in CODES.items():
                                  for column, table in CODES.items():
                                   for column, table in CODES.items():
                                    for column, table in CODES.items():
