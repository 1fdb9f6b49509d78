/**
 * The transport over UCX: InfiniBand, RoCE, shared memory and what else the host's libucp has.
 *
 * <p>{@link io.spillway.transport.ucx.UcxProvider} makes both ends. Frames travel as Active
 * Messages: an {@link io.spillway.transport.ucx.worker.Envelope} and the frame are the message's
 * header, the bytes after a DATA frame are its data, which UCX moves by rendezvous where they are
 * many. All of UCX is called by one thread an end, {@link
 * io.spillway.transport.ucx.worker.UcxThread}.
 *
 * <p>Two ways of ending: towards another host endpoints have UCX's error handling, so that they can
 * be torn down at any time. It excludes shared memory; so towards the same host they have none, and
 * an end waits for what is in flight. Nothing relies on UCX to notice that a peer is gone: both
 * ends have a heartbeat.
 */
package io.spillway.transport.ucx;
