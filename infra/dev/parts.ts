import { chain } from './parts/chain.ts';
import type { EmbeddedPart } from './parts/embedded-part.ts';
import { mongo } from './parts/mongo.ts';
import { mongoTools } from './parts/mongo-tools.ts';
import { mongodbTenants } from './parts/mongodb-tenants.ts';
import { objectStore } from './parts/object-store.ts';
import { postgres } from './parts/postgres.ts';
import { redis } from './parts/redis.ts';
import { registry } from './parts/registry.ts';
import { temporal } from './parts/temporal.ts';
import { temporalUi } from './parts/temporal-ui.ts';

/**
 * The one table of embedded parts. Ports, tools, processes, secrets, variables, `state.json`, `npm start -- --check`,
 * `fairlead doctor` and the README's table derive from it.
 */
export const EMBEDDED_PARTS = [
  mongo,
  temporal,
  temporalUi,
  registry,
  chain,
  postgres,
  objectStore,
  redis,
  mongodbTenants,
  mongoTools,
] as const;

/** The rows in one shape, for what loops over them. */
export const PART_ROWS: readonly EmbeddedPart[] = EMBEDDED_PARTS;

export type PartName = (typeof EMBEDDED_PARTS)[number]['name'];

/** Names of all their ports. */
export type PartPort = PortsOf<(typeof EMBEDDED_PARTS)[number]>;

type PortsOf<Part> = Part extends { readonly ports: infer Ports } ? Extract<keyof Ports, string> : never;
