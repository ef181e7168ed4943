// What readers may type and what this book says, in both languages: a word of a row finds all of it.
const searchWords = `
client, device, worker, edge device, 子节点, 客户端, 终端, 工作节点, 用户端, 参与方
server, aggregator, coordinator, parameter server, 中心节点, 服务器, 服务端, 参数服务器, 中央服务器
communication, communicate, communicating, communication complexity, communication cost, communication efficiency, communication round, bandwidth, 通信, 通讯, 通信复杂度, 通信开销, 通信代价, 通信成本, 通信效率, 通信次数, 通信轮数
converge, converged, convergence, convergence rate, convergence speed, rate of convergence, 收敛, 收敛速度, 收敛速率, 收敛率, 收敛性
step size, stepsize, learning rate, 步长, 学习率, 学习速率, 步幅
local step, local update, local iteration, local epoch, local training, 局部步, 局部更新, 本地更新, 本地步, 本地训练, 本地迭代, 局部训练
heterogeneity, heterogeneous, dissimilarity, non-IID, noniid, 异质, 异质程度, 异构, 异构性, 数据异构, 非独立同分布
client drift, drift, 漂移, 客户端漂移, 模型漂移
participation, participate, take part, takes part, partial participation, dropout, straggler, client sampling, client selection, 参与, 部分参与, 掉线, 客户端采样, 客户端选择, 抽样, 采样
minibatch, mini-batch, batch size, 小批量, 批大小, 批量大小, 批次大小
stochastic gradient descent, stochastic gradient, SGD, 随机梯度下降, 随机梯度
gradient descent, FedSGD, GD, 梯度下降
control variate, control variable, gradient correction, 控制变量, 控制变元, 梯度校正
variance reduction, variance-reduced, SVRG, 方差缩减, 方差缩减法, 方差减小, 方差约减
dual variable, multiplier, Lagrange multiplier, 对偶变量, 乘子, 拉格朗日乘子
augmented Lagrangian, method of multipliers, ADMM, 增广拉格朗日, 乘子法, 交替方向乘子法
penalty, regularisation, regularization, regulariser, regularizer, 罚, 惩罚项, 正则, 正则化, 正则项
proximal, prox, 邻近, 近端, 邻近算子, 近端算子
operator splitting, 算子分裂, 算子分割
skip, skipped, skipping, skip communication, 跳步, 跳过通信
skip probability, skipping probability, probability of skipping, 跳步概率, 跳过概率
plateau, error floor, noise floor, 停滞, 停滞水平, 误差下限, 噪声水平
minimiser, minimizer, optimum, optimal solution, 极小点, 最小值点, 极小值点, 最优解, 最优点
minimise, minimize, 极小化, 最小化
fixed point, point of rest, 不动点, 静止点
average, averaged, averaging, aggregation, 平均, 求平均, 聚合, 模型聚合
momentum, heavy ball, 动量
acceleration, accelerated, Nesterov, 加速
consensus, 共识, 一致性
local solver, oracle, subproblem, 局部求解器, 局部问题, 子问题
errata, erratum, mistake, 勘误, 错误
notation, symbol, 记号, 符号, 符号表
exercise, 习题, 练习
pseudocode, 伪代码`;
