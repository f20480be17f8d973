import { type Client, isGrpcServiceError } from '@temporalio/client';

const ALREADY_EXISTS = 6;
const KEYWORD = 2;

/** Registers the custom search attributes (type Keyword) with the server. No error when it knows them already. */
export async function ensureSearchAttributes(client: Client, names: readonly string[]): Promise<void> {
  const { operatorService } = client.connection;
  const namespace = client.options.namespace;
  const known = await operatorService.listSearchAttributes({ namespace });
  const missing = names.filter((name) => known.customAttributes?.[name] === undefined);
  if (missing.length === 0) return;
  try {
    const searchAttributes = Object.fromEntries(missing.map((name) => [name, KEYWORD]));
    await operatorService.addSearchAttributes({ namespace, searchAttributes });
  } catch (error) {
    if (!(isGrpcServiceError(error) && error.code === ALREADY_EXISTS)) throw error;
  }
}
