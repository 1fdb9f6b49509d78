/**
 * What every frame has, and the frames between clients and nodes, one descriptor class a layout.
 *
 * <p>All numbers are big-endian. A frame is a {@link io.spillway.frame.FrameHeader}, then a body; a
 * {@link io.spillway.wire.DataFrame} and a {@link io.spillway.wire.WriteFrame} are followed by the
 * bytes that they announce. The first frame of a connection comes after {@link
 * io.spillway.wire.HelloFrame#MAGIC}, by which a shared port tells it from HTTP.
 *
 * <pre>
 * client                                                    node
 *   HELLO(client nonce, prefetch, job)                        -&gt;
 *   &lt;-             CHALLENGE(epoch, node nonce)   or REFUSED(code, message)
 *   AUTH(client proof)                                        -&gt;
 *   &lt;-             WELCOME(node proof, limits)    or REFUSED(code, message)
 *   FETCH(request, output, partition, run, offset, length) ... -&gt;
 *   &lt;-             DATA(request, lengths, checksum) + bytes or ELSEWHERE(request, places)
 *                  or FAILED(request, code, message) ...
 *   PUT(request, output, partition, run, offset, length, checksum) + bytes ...   -&gt;
 *   COMMIT(request, output) + table of segments, or ABORT(request, output) ...   -&gt;
 *   &lt;-             ACK(request, guard)           or FAILED(request, code, message) ...
 *   PING / PONG, either way, at any time after WELCOME
 * </pre>
 */
package io.spillway.wire;
