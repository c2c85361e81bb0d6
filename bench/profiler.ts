/**
 * Loaded into a process before its program (`node --import`): at SIGUSR2 it starts a profile of the
 * processor's time, at the next one it writes it to the file that PROFILE_FILE names.
 */
import { writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';

const file = process.env.PROFILE_FILE;
if (file === undefined) throw new Error('PROFILE_FILE names no file for the profile');

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.setSamplingInterval', { interval: 200 });

let profiling = false;
process.on('SIGUSR2', async () => {
  profiling = !profiling;
  if (profiling) {
    await session.post('Profiler.start');
  } else {
    const { profile } = await session.post('Profiler.stop');
    await writeFile(file, JSON.stringify(profile));
  }
});
