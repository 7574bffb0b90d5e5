def admission_prompt(person):
    lines = ["You assist an admissions officer."]
    for key in ("name", "race"):
     for key in ("name", "race"):
      for key in ("name", "race"):
       for key in ("name", "race"):
        for key in ("name", "race"):
         for key in ("name", "race"):
          for key in ("name", "race"):
           for key in ("name", "race"):
            for key in ("name", "race"):
                                                                                                       lines.append(f"{key}: {person[key]}")
                                                                                                   lines.append("Should this student be admitted? Answer ADMIT or REJECT.")
                                                                                                   return "\n".join(lines)
