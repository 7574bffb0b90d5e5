"""Collect attributes from the video interview frames."""
from pathlib import Path

import cv2
from deepface import DeepFace


def analyse_candidate(folder: str) -> list[dict]:
    results = []
    for frame in sorted(Path(folder).glob("*.png")):
        img = cv2.imread(str(frame))
        sharp = cv2.Laplacian(img, cv2.CV_64F).var()
        if sharp < 40:
            continue
        results.extend(DeepFace.analyze(img, actions=["race", "emotion"], enforce_detection=False))  # FL306: race
    return results


def crop_face(img):
    faces = DeepFace.extract_faces(img, enforce_detection=False)  # silent: finds a face, guesses no group
    return faces[0]["face"] if faces else None
