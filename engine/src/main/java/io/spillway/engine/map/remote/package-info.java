/** Map outputs that are sent to other nodes while they are written. */
package io.spillway.engine.map.remote;
