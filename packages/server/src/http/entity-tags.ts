import type { Context } from './state.ts';

/**
 * Whether the caller says, by If-None-Match, that it has this version (RFC 9110, section 13.1.2). Not
 * by Koa's `fresh`, which lets a request's Cache-Control overrule that: `fetch` always sends one along.
 */
export function hasVersion(ctx: Context, etag: string): boolean {
  return ctx
    .get('If-None-Match')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === etag || tag === '*');
}
