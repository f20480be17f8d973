import { z } from 'zod';

/** What is asked for that a public page does not know is passed over: links from elsewhere carry fields of their own. */
export const PUBLIC_QUERY = z.object({});
