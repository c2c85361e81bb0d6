import { PlaceMemory } from './anchors.ts';
import { SearchMemory } from './search.ts';

/** What lists of committed rows remember between requests. */
export class ListMemory {
  readonly places = new PlaceMemory();
  readonly finds = new SearchMemory();

  /** For when the counts of changes, by which it knows what still holds, begin anew. */
  clear(): void {
    this.places.clear();
    this.finds.clear();
  }
}
