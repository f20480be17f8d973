import { z } from 'zod';
import type { SealedSecret } from '../../domain/config/sealed-secret.ts';

export const sealedSecretSchema: z.ZodType<SealedSecret> = z.object({ keyId: z.string(), sealed: z.string() });

/** What puts another sealed form in the place of `from` at a path of a document, and only there where it still is. */
export function sealedReplacement(
  path: string,
  { from, to }: { readonly from: SealedSecret; readonly to: SealedSecret },
) {
  return {
    condition: { [`${path}.keyId`]: from.keyId, [`${path}.sealed`]: from.sealed },
    update: { $set: { [path]: { keyId: to.keyId, sealed: to.sealed } } },
  };
}
