export { type OpenShareOptions, openShare } from './open-share.ts';
export { type ShareUrlOptions, shareUrl } from './share-url.ts';
