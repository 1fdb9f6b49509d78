/** How the bytes of a session are protected once both sides have proved themselves. */
package io.spillway.seal;
