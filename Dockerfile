# fairlint without a Python of one's own:
#   docker build -t fairlint .
#   docker run --rm --network none -v "$PWD:/code:ro" fairlint .
# The base is pinned by its tag and not by a digest: a new build is to have the newest fixes of Python and Debian.
FROM python:3.13-slim-bookworm AS build
COPY . /source
RUN pip wheel --no-cache-dir --wheel-dir /wheels /source

FROM python:3.13-slim-bookworm
# git is there for --diff, and for who put a finding aside; the code belongs to another user than the one in here
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends git \
 && rm -rf /var/lib/apt/lists/* \
 && git config --system --add safe.directory /code
# hadolint ignore=DL3013
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links=/wheels fairlint
WORKDIR /code
USER 65534
ENTRYPOINT ["fairlint"]
CMD ["."]
