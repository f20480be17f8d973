import { z } from 'zod';
import { alarmsSection } from './alarms.ts';
import { embeddedPartsSection } from './embedded-parts.ts';
import { dataSection } from './platform.ts';
import { mongodbUri, port, positiveCount, secret, text } from './variable-kinds.ts';

/** Where the servers of services' databases answer, for workloads (spec 2, "Environment variables"). */
export const databaseAddressSection = {
  DB_POSTGRES_HOST: text.default('localhost'),
  DB_POSTGRES_PORT: port.default(5432),
  DB_MONGODB_HOST: text.default('localhost'),
  DB_MONGODB_PORT: port.default(27_017),
  DB_REDIS_HOST: text.default('localhost'),
  DB_REDIS_PORT: port.default(6379),
  DB_NEO4J_HOST: text.default('localhost'),
  DB_NEO4J_PORT: port.default(7687),
};

const POSTGRES_URI = 'a postgresql:// address; special characters of its password are percent-encoded';

/** Whoever opens it later would say the whole of it, with its password, if it were no address. */
export const postgresUri = z
  .string()
  .regex(/^postgres(ql)?:\/\/.+/, POSTGRES_URI)
  .refine((value) => URL.canParse(value), POSTGRES_URI);

const REDIS_URL =
  'a redis:// or rediss:// address, or redis+unix://user:password@localhost/path/of/a.sock; special characters are percent-encoded';

const redisUrl = z
  .string()
  .regex(/^(?:rediss?|redis\+unix):\/\/.+/, REDIS_URL)
  .refine((value) => URL.canParse(value), REDIS_URL);

const NEO4J_URI =
  'a neo4j:// or bolt:// address without a login: that is in DB_NEO4J_ADMIN_USER and DB_NEO4J_ADMIN_PASSWORD';

const neo4jUri = z
  .string()
  .regex(/^(?:neo4j|bolt)(?:\+s|\+ssc)?:\/\/[^@]+$/, NEO4J_URI)
  .refine((value) => URL.canParse(value), NEO4J_URI);

/** What provisions databases. Without its administrator's address an engine is off. */
export const databasesSection = {
  ...embeddedPartsSection,
  ...databaseAddressSection,
  DB_POSTGRES_ADMIN_URI: secret(postgresUri.optional()),
  DB_MONGODB_ADMIN_URI: secret(mongodbUri.optional()),
  DB_REDIS_ADMIN_URL: secret(redisUrl.optional()),
  DB_NEO4J_ADMIN_URI: secret(neo4jUri.optional()),
  DB_NEO4J_ADMIN_USER: text.default('neo4j'),
  DB_NEO4J_ADMIN_PASSWORD: secret(text.optional()),
  /** As in `sslmode` of the addresses that workloads are given; none when it is not set. */
  DB_POSTGRES_SSLMODE: z.enum(['disable', 'prefer', 'require', 'verify-ca', 'verify-full']).optional(),
  /** How long the database of a removed service is kept before it is dropped. */
  DATABASE_GRACE_DAYS: positiveCount.max(365).default(7),
};

/** What looks after databases beside deploys. */
export const databasesWorkerSection = {
  ...databasesSection,
  ...dataSection,
  ...alarmsSection,
  /** How old the login of a database is when it gets a new one (spec 2, "Environment variables"). */
  ROTATION_TTL_DAYS: positiveCount.max(3_650).default(30),
};
