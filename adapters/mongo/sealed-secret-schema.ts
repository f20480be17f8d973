import { z } from 'zod';
import type { SealedSecret } from '../../domain/config/sealed-secret.ts';

export const sealedSecretSchema: z.ZodType<SealedSecret> = z.object({ keyId: z.string(), sealed: z.string() });
