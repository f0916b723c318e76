# docker build -t rankgauge . && docker run --rm -v "$PWD:/data" rankgauge evaluate qrels.txt bm25.run
FROM python:3.14-slim AS build
# hadolint ignore=DL3008
RUN apt-get update && apt-get install --yes --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN RANKGAUGE_REQUIRE_CORE=1 pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.14-slim
# Such as --build-arg EXTRAS=[arrow,plot]
ARG EXTRAS=""
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir "$(echo /wheels/*.whl)$EXTRAS" && useradd --uid 1000 rankgauge
USER 1000
WORKDIR /data
ENTRYPOINT ["rankgauge"]
CMD ["--help"]
