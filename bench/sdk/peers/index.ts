import type { Contestant } from '../contestants.ts';
import { axios } from './axios.ts';
import { heyApi } from './hey-api.ts';
import { ky } from './ky.ts';
import { openapiFetch } from './openapi-fetch.ts';

export const peers: readonly Contestant[] = [openapiFetch, ky, axios, heyApi];
