import { z } from 'zod';
import { ENVIRONMENTS } from './environment.ts';

export const environmentSchema = z.enum(ENVIRONMENTS);
