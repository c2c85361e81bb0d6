import { useKept } from '../suite/kept.ts';
import { runAll } from '../suite/run.ts';

export default {
  /** Runs the suite in the world that a POST describes, or one step with the client that is kept. */
  async fetch(request: Request): Promise<Response> {
    const work = request.url.endsWith('/kept') ? useKept : runAll;
    return Response.json(await work(await request.json()));
  },
};
