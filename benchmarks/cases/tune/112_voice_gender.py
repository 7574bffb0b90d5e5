import librosa
import numpy as np


def mean_pitch(path):
    y, sr = librosa.load(path, sr=16000)
    f0, voiced, _ = librosa.pyin(y, fmin=60, fmax=400)
    return float(np.nanmean(f0[voiced]))


def gender_from_voice(path):
    return "female" if mean_pitch(path) > 165 else "male"  # FL306: gender


def register_caller(db, phone, recording):
    db.insert(phone=phone, gender=gender_from_voice(recording))


def speak(tts, text, gender="female"):  # silent: the voice of a speech synthesiser
    return tts.synthesize(text, voice={"female": "Anna", "male": "Tom"}[gender])  # silent: the voice of a speech synthesiser
