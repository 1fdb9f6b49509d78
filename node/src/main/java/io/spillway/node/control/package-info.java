/**
 * How a NodeManager's shuffle handler and the node process on its host talk: frames on a Unix
 * socket between processes of one user. Only here do secrets of jobs leave the NodeManager.
 *
 * <pre>
 * handler                                            node process
 *   HELLO(NodeManager, directories, stores)     -&gt;
 *   &lt;-                       WELCOME(epoch, offers)   or REFUSED(message)
 *   JOB(id, user, secret) ...                   -&gt;    all that the NodeManager knows
 *   JOBS_TOLD                                   -&gt;    those not told by now have ended
 *   JOB, JOB_ENDED(id), TASK_ENDED(id) ...      -&gt;    as it happens
 *   PING                                        -&gt;
 *   &lt;-                       PONG
 *
 * any process of the user
 *   STATUS, DRAIN or DRAIN_CANCEL               -&gt;
 *   &lt;-                       STATUS_REPORT(JSON)
 * </pre>
 *
 * <p>Both sides speak a range of versions. The one that connects begins with its newest; the node
 * answers in that version, or refuses it in its own newest, with which the other side connects
 * again.
 *
 * <p>All numbers are big-endian; a frame is a {@link io.spillway.frame.FrameHeader}, then a body,
 * with one descriptor class a layout.
 */
package io.spillway.node.control;
