import { defineSearchAttributeKey } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../domain/search-attributes.ts';

export const SERVICE = defineSearchAttributeKey(SEARCH_ATTRIBUTES.service, 'KEYWORD');
export const ENVIRONMENT = defineSearchAttributeKey(SEARCH_ATTRIBUTES.environment, 'KEYWORD');
export const ORG = defineSearchAttributeKey(SEARCH_ATTRIBUTES.org, 'KEYWORD');
export const STAGE = defineSearchAttributeKey(SEARCH_ATTRIBUTES.stage, 'KEYWORD');
