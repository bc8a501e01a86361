# The service as an image. Two targets:
#   docker build --tag splwright .                            for a real network (SOLANA_RPC_URLS must be set)
#   docker build --tag splwright:sandbox --target sandbox .   with the sandbox, to try it
# It runs from source, as everywhere: the lock file fixes each package by its digest, and nothing is compiled.

FROM node:24-bookworm-slim AS manifests
WORKDIR /app
COPY .npmrc package.json package-lock.json ./
COPY packages/client/package.json packages/client/
COPY packages/core/package.json packages/core/
COPY packages/sandbox/package.json packages/sandbox/
COPY packages/server/package.json packages/server/

FROM manifests AS sandbox-packages
# The package that brings Node for a clone is not needed where Node is.
RUN npm ci --omit=dev --ignore-scripts && rm -rf node_modules/node-* node_modules/.bin

FROM manifests AS service-packages
RUN npm ci --omit=dev --omit=optional --ignore-scripts && rm -rf node_modules/.bin

FROM node:24-bookworm-slim AS runtime
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="splwright" \
      org.opencontainers.image.description="Builds unsigned SPL token transfers on Solana" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
WORKDIR /app
# What a container must have of its own. With PostgreSQL (DATABASE_URL) nothing is written, and /data stays empty.
ENV NODE_ENV=production HOST=0.0.0.0 METRICS_HOST=0.0.0.0 DATABASE_URL=sqlite:/data/splwright.db
# Freed memory is given back (docs/operate/capacity.md).
ENV MALLOC_MMAP_THRESHOLD_=12288 MALLOC_TOP_PAD_=1048576
RUN mkdir --mode=0700 /data && chown 1000:1000 /data \
  && ln -s /app/packages/server/bin/splwright.js /usr/local/bin/splwright
VOLUME /data
COPY LICENSE package.json ./
COPY packages/client packages/client
COPY packages/core packages/core
COPY packages/server packages/server
# The user `node` of the base image, by number: an orchestrator can see that it is not root.
USER 1000:1000
EXPOSE 3000 9464
STOPSIGNAL SIGTERM
# Whether the process lives, not whether it is ready: a Solana node that is away is no reason to restart it.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["splwright", "ping"]
ENTRYPOINT ["node", "/app/packages/server/bin/splwright.js"]
CMD ["serve"]

FROM runtime AS sandbox
COPY packages/sandbox packages/sandbox
COPY --from=sandbox-packages /app/node_modules node_modules
EXPOSE 8899 8900

FROM runtime AS service
COPY --from=service-packages /app/node_modules node_modules
