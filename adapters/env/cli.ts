import { z } from 'zod';
import { cliVariable, type ServiceUrls, serviceUrls } from '../../domain/service-addresses.ts';
import { SERVICE_ROWS } from '../../domain/services.ts';
import { type EnvSource, readTogether, readVariables } from '../read-variables.ts';
import { baseUrl, secret, text } from './variable-kinds.ts';

/** What the command line reads. */
export const cliSection = {
  FAIRLEAD_URL: z.url().optional(),
  FAIRLEAD_KEY: secret(text.optional()),
  /** The data folder of this checkout's stack, where it is not `.fairlead`. */
  FAIRLEAD_DATA_DIR: text.optional(),
  NO_COLOR: z.string().optional(),
  CI: z.string().optional(),
  XDG_CONFIG_HOME: text.optional(),
  /** Whether a person sits in front of a browser here. */
  DISPLAY: text.optional(),
  WAYLAND_DISPLAY: text.optional(),
  SSH_CONNECTION: text.optional(),
  SSH_TTY: text.optional(),
};

/** Where the services beside the builder are; the builder is FAIRLEAD_URL. */
export const cliUrlsSection = Object.fromEntries(
  SERVICE_ROWS.filter(({ name }) => name !== 'builder').map((row) => [cliVariable(row), baseUrl.optional()]),
);

export type CliEnv = z.infer<z.ZodObject<typeof cliSection>> & {
  /** Services that belong to the API of FAIRLEAD_URL, where they are named. */
  readonly serviceUrls: ServiceUrls;
};

/** @throws VALIDATION_FAILED listing every bad variable */
export function readCliVariables(source: EnvSource): CliEnv {
  const { env, urls } = readTogether({
    env: () => readVariables(z.object(cliSection), source),
    urls: () => readVariables(z.object(cliUrlsSection), source),
  });
  const named = SERVICE_ROWS.map((row) => [row.baseUrlVariable, urls[cliVariable(row)]]);
  return { ...env, serviceUrls: serviceUrls(Object.fromEntries(named)) };
}
