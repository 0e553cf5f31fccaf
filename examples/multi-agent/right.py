"""A student's file that is right: all points of project.toml."""

import util
from game import Agent


def scoreEvaluationFunction(currentGameState):
    return currentGameState.getScore()


class MultiAgentSearchAgent(Agent):
    def __init__(self, evalFn="scoreEvaluationFunction", depth="2"):
        self.index = 0  # Pacman is agent 0
        self.evaluationFunction = util.lookup(evalFn, globals())
        self.depth = int(depth)

    def isOver(self, state, depth):
        return depth == self.depth or state.isWin() or state.isLose()


class MinimaxAgent(MultiAgentSearchAgent):
    def getAction(self, gameState):
        return max(
            gameState.getLegalActions(0),
            key=lambda action: self.value(gameState.generateSuccessor(0, action), 1, 0),
        )

    def value(self, state, agent, depth):
        if agent == state.getNumAgents():
            agent, depth = 0, depth + 1
        if self.isOver(state, depth):
            return self.evaluationFunction(state)
        values = [
            self.value(state.generateSuccessor(agent, action), agent + 1, depth)
            for action in state.getLegalActions(agent)
        ]
        return max(values) if agent == 0 else min(values)


class AlphaBetaAgent(MultiAgentSearchAgent):
    def getAction(self, gameState):
        return self.search(gameState, 0, 0, float("-inf"), float("inf"))[1]

    def search(self, state, agent, depth, alpha, beta):
        if agent == state.getNumAgents():
            agent, depth = 0, depth + 1
        if self.isOver(state, depth):
            return self.evaluationFunction(state), None
        best, chosen = float("-inf") if agent == 0 else float("inf"), None
        for action in state.getLegalActions(agent):
            value, _ = self.search(state.generateSuccessor(agent, action), agent + 1, depth, alpha, beta)
            if agent == 0:
                if value > best:
                    best, chosen = value, action
                if best > beta:
                    break
                alpha = max(alpha, best)
            else:
                if value < best:
                    best, chosen = value, action
                if best < alpha:
                    break
                beta = min(beta, best)
        return best, chosen


class ExpectimaxAgent(MultiAgentSearchAgent):
    def getAction(self, gameState):
        return max(
            gameState.getLegalActions(0),
            key=lambda action: self.value(gameState.generateSuccessor(0, action), 1, 0),
        )

    def value(self, state, agent, depth):
        if agent == state.getNumAgents():
            agent, depth = 0, depth + 1
        if self.isOver(state, depth):
            return self.evaluationFunction(state)
        values = [
            self.value(state.generateSuccessor(agent, action), agent + 1, depth)
            for action in state.getLegalActions(agent)
        ]
        return max(values) if agent == 0 else sum(values) / len(values)
