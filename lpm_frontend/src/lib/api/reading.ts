/** What was written is read a moment later, by a job. */
import { client, unwrap } from "./client";
import { isRunning } from "./jobs";
import type { Job } from "./types";

const LOOK_MS = 120;
const LOOKS = 150;

/** Wait until what was written has been read, so that what is shown next holds it. */
export async function whenRead<T extends { job?: Job | null }>(written: T): Promise<T> {
  let job = written.job;
  for (let look = 0; job && isRunning(job) && look < LOOKS; look += 1) {
    await new Promise((done) => setTimeout(done, LOOK_MS));
    job = await unwrap(client.GET("/api/jobs/{id}", { params: { path: { id: job.id } } }));
  }
  return written;
}
