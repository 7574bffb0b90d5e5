from pathlib import Path

import cv2
from deepface import DeepFace


def kiosk_profile(image_path: Path) -> dict:
    img = cv2.imread(str(image_path))
    out = DeepFace.analyze(img, actions=["gender", "race"], enforce_detection=False)  # FL306: gender; FL306: race
    return {"gender": out[0]["dominant_gender"], "race": out[0]["dominant_race"]}


def check_photo(image_path: Path) -> bool:
    """Only verifies that a face is visible, nothing is inferred."""
    faces = DeepFace.extract_faces(str(image_path))  # silent: face detection without a group
    return len(faces) == 1


if __name__ == "__main__":
    for p in sorted(Path("applicants/photos").glob("*.jpg")):
        print(p.name, kiosk_profile(p) if check_photo(p) else "no face")
