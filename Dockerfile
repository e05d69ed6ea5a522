# The Sourcebound image: the files of the npm package, with the dependencies of the lock file.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY . .
RUN npm ci --no-audit --no-fund
RUN npm pack && tar -xzf sourcebound-*.tgz && cp package-lock.json package/
RUN cd package && npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:22-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production SOURCEBOUND_DATA_DIR=/data SOURCEBOUND_HOST=0.0.0.0
COPY --from=build /app/package .
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:'+(process.env.SOURCEBOUND_PORT||8787)+'/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/src/cli/main.js"]
CMD ["serve"]
