import { z } from 'zod';
import type { SealedSecret } from '../../../domain/catalog/service.ts';

export const sealedSecretSchema: z.ZodType<SealedSecret> = z.object({ keyId: z.string(), sealed: z.string() });
