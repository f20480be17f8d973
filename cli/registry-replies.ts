import { z } from 'zod';

/** What the command line reads of the service registry's replies; the rest stays untouched, for `--json`. */
const text = z.string();

export const pluginReply = z.looseObject({
  service: text,
  serviceId: text,
  org: text,
  environments: z.array(text),
  hasChangelog: z.boolean(),
  updatedAt: text,
});

const route = z.looseObject({
  path: text,
  methods: z.array(text),
  auth: text.nullish(),
  gas: z.number(),
  charge: text.nullish(),
});

export type RouteReply = z.infer<typeof route>;

const registration = z.looseObject({
  url: text,
  port: z.number(),
  releaseId: text,
  routes: z.array(route),
  modules: z.array(z.looseObject({ name: text, title: text.nullish() })),
});

export const entryReply = z.looseObject({
  service: text,
  environments: z.array(
    z.looseObject({
      environment: text,
      registration: registration.nullish(),
    }),
  ),
});

export const changelogReply = z.looseObject({
  service: text,
  notes: text,
  version: text.nullish(),
  commit: text.nullish(),
  deployedAt: text,
  walkthroughUrl: text.nullish(),
});

export const packageReply = z.looseObject({ package: text, version: text, notes: text, publishedAt: text });

export const namespaceReply = z.looseObject({
  namespace: text,
  service: text,
  org: text,
  environment: text,
  since: text,
});

export const bindingReply = z.looseObject({
  kind: text,
  name: text,
  port: z.number(),
  path: text,
  cron: text.nullish(),
});

export const deployReply = z.looseObject({
  buildId: text,
  at: text,
  manifest: z.looseObject({ commit: text, sdkVersions: z.record(text, text), deployedBy: text }).nullish(),
  snapshot: z.looseObject({ releaseId: text, commit: text.nullish(), podTier: text }).nullish(),
});

export type DeployReply = z.infer<typeof deployReply>;
