import { serviceRow } from '../../domain/services.ts';
import { encryptionKeys, port, secret } from './variable-kinds.ts';

/** What the console reads besides what every service reads. */
export const consoleSection = {
  /** Seals what browsers keep of a session. */
  CONSOLE_ENCRYPTION_KEY: secret(encryptionKeys),
  /** Of the builder, which is found on this machine when BUILDER_URL names no address. */
  PORT: port.default(serviceRow('builder').defaultPort),
};
